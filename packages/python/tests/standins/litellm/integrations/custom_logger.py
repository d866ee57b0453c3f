class CustomLogger:
    pass
