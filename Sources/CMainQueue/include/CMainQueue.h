// Two functions that libdispatch exports for run loops, and declares in no public header.
#pragma once

/// An eventfd that is readable while the main queue has work. Not to be closed.
int _dispatch_get_main_queue_handle_4CF(void);
/// Does the main queue's work on the calling thread, which must be the main thread.
void _dispatch_main_queue_callback_4CF(void *_Nullable unused);
