//! The clients: bytes in, bytes out. One file a client, and the edit of a settings text. Pure.
