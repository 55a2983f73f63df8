print("lab-app")
