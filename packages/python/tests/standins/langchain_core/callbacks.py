class BaseCallbackHandler:
    pass
