// Machine
