class BaseEventHandler:
    pass
