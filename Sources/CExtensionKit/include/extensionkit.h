// extensionkit.h: use app extensions from C.
//
//   cc host.c $(pkg-config --cflags --libs extensionkit)
//
// A host names itself, watches an extension point, activates an extension that it finds there, and gets a socket to it.
// What goes over the socket is between the two.
//
// Loop. What happens (a change in the list, the end of an extension, the answer to a call that ends in _async) waits until
// extk_host_dispatch() is called, and its callbacks run then, on that thread, in the order in which it happened. Watch
// extk_host_fd() for reading in poll(2), GLib or any other loop, and dispatch when it is readable.
//
// Threads. Any thread may call any function, unless its comment says otherwise. Free an object on the thread that
// dispatches: then none of its callbacks runs afterwards. A callback may free the object that it is about. The library has
// threads of its own; they block all signals and never call the program. After fork(2) use it no more in the child.
//
// Ownership. What a function named _new, or extk_activate(), returns is freed with the function named _free, once. Texts
// are UTF-8 and end with NUL; those that are handed to the library are copied.
//
// Errors. A function that can fail takes an extk_error ** as its last argument: NULL, or the address of a pointer that is
// set when it fails and left alone otherwise. Free it with extk_error_free(). A null pointer where none is allowed is a
// mistake that ends the program.
#ifndef EXTENSIONKIT_H
#define EXTENSIONKIT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The library's version, such as "0.1.0". Not to be freed.
const char *extk_version(void);

// MARK: Errors

typedef enum extk_error_code {
  /// Anything that has no code of its own.
  EXTK_ERROR_FAILED = 1,
  /// The program's mistake: an identifier that is none, a name that is missing.
  EXTK_ERROR_INVALID_ARGUMENT = 2,
  /// There is no broker (extensiond) to ask. One may come later.
  EXTK_ERROR_BROKER_UNAVAILABLE = 3,
  /// What answers in the broker's place is another version or another product. Waiting is of no use.
  EXTK_ERROR_BROKER_INCOMPATIBLE = 4,
  /// No extension has this id.
  EXTK_ERROR_EXTENSION_NOT_FOUND = 5,
  /// The person has not approved it or has disabled it, or it may not be used for another cause.
  EXTK_ERROR_EXTENSION_NOT_ENABLED = 6,
  /// The extension offers no such scene.
  EXTK_ERROR_SCENE_NOT_FOUND = 7,
  /// It could not be made ready; see reason and standard_error.
  EXTK_ERROR_ACTIVATION_FAILED = 8,
  /// The extension refused the connection; the message is its own.
  EXTK_ERROR_CONNECTION_REJECTED = 9,
  /// The activation is over; see reason.
  EXTK_ERROR_ACTIVATION_ENDED = 10,
  /// This host is sandboxed, and what it asked for belongs to another one.
  EXTK_ERROR_NOT_PERMITTED = 11,
  /// A limit of the broker is reached; 'extctl status' shows them.
  EXTK_ERROR_LIMIT_REACHED = 12,
  /// There was no answer in the time that was given.
  EXTK_ERROR_TIMED_OUT = 13,
  /// It cannot be shown; the message says why, and what to do.
  EXTK_ERROR_DISPLAY_UNAVAILABLE = 14
} extk_error_code;

/// Why a call failed. Owned by whoever got it; those handed to callbacks belong to the library.
typedef struct extk_error {
  extk_error_code code;
  /// For people: what happened, and what to do.
  const char *message;
  /// Why the extension ended or never was ready, as extk_end_reason.kind has it; NULL where that is not the cause.
  const char *reason;
  /// The last lines that the extension wrote to standard error; NULL where there are none.
  const char *standard_error;
} extk_error;

/// Frees an error and its texts. NULL is allowed.
void extk_error_free(extk_error *error);

// MARK: The host

/// This program, as one that uses extensions.
typedef struct extk_host extk_host;

/// Names this program: host_identifier is reverse-DNS, that of its bundle, such as "org.example.Editor". NULL: the
/// environment variable EXTENSIOND_HOST_IDENTIFIER. Needs no broker and does not block. A process is one host: when there
/// is one already, the identifier must be the same.
extk_host *extk_host_new(const char *host_identifier, extk_error **error);

/// Readable while extk_host_dispatch() has something to do. Owned by the host: only watch it.
int extk_host_fd(const extk_host *host);

/// Runs the callbacks of what happened up to now. Does not block. On one thread at a time.
void extk_host_dispatch(extk_host *host);

/// No callback runs afterwards. Monitors and activations are freed on their own, before or after. NULL is allowed.
void extk_host_free(extk_host *host);

// MARK: Finding extensions

/// An extension that this host may use: found, valid, and enabled by the person.
typedef struct extk_identity {
  /// Names it in extk_activate(). Stable over updates.
  const char *id;
  /// CFBundleIdentifier.
  const char *bundle_identifier;
  /// The name to show to people.
  const char *localized_name;
  /// The extension point that it is bound to.
  const char *extension_point;
  const char *version;
  // What the extension says of itself to people; each is NULL where it says nothing.
  /// One sentence: what it is for, in the person's language.
  const char *localized_description;
  /// Who made it.
  const char *developer;
  /// Such as "GPL-3.0-or-later".
  const char *license;
  /// An address that begins with https:// or http://.
  const char *home_page;
  /// The absolute path of an image, or a name in the icon theme.
  const char *icon;
} extk_identity;

/// The extensions of one point, kept current, over restarts of the broker too.
typedef struct extk_monitor extk_monitor;

typedef enum extk_change {
  EXTK_CHANGE_REMOVED = 1,
  /// The same id with another version, name or detail; identity is the new one.
  EXTK_CHANGE_UPDATED = 2,
  EXTK_CHANGE_ADDED = 3,
  /// extk_monitor_disabled_count() or extk_monitor_unapproved_count() is another one. Without an identity.
  EXTK_CHANGE_COUNTS = 4,
  /// extk_monitor_is_current() is another one: the broker went, or is back. Without an identity.
  EXTK_CHANGE_BROKER = 5
} extk_change;

/// Something became different. The list is the new one already. What happened between two dispatches is told as one step:
/// first what was removed, then what was updated and added, and each extension once at most.
typedef void (*extk_monitor_callback)(
    extk_monitor *monitor, extk_change change, const extk_identity *identity, void *user_data);

/// Watches an extension point, such as "org.example.Editor.Spelling". Blocks until the list is complete: with an error
/// after 40 s at most. What is in the list from the beginning is not told to the callback, which may be NULL.
extk_monitor *extk_monitor_new(
    extk_host *host, const char *extension_point, extk_monitor_callback callback, void *user_data,
    extk_error **error);

/// The list as the last dispatch left it, in the order of the ids. NULL where index is past its end. An identity stays
/// where it is until the callback that tells of its removal or update has returned, or the monitor is freed: use it on
/// the thread that dispatches, and copy what is to last.
const extk_identity *extk_monitor_identity(const extk_monitor *monitor, size_t index);

/// How many extensions of this point the person has disabled. They are not named to hosts.
size_t extk_monitor_disabled_count(const extk_monitor *monitor);

/// How many wait for the person's approval. They are not named to hosts.
size_t extk_monitor_unapproved_count(const extk_monitor *monitor);

/// 0 while there is no broker: the list is the last that was known, and a broker is looked for every two seconds at most.
int extk_monitor_is_current(const extk_monitor *monitor);

/// NULL is allowed.
void extk_monitor_free(extk_monitor *monitor);

// MARK: Using an extension

/// One use of an extension. Its process runs as long as some host uses it.
typedef struct extk_activation extk_activation;

/// Why an activation ended. Belongs to the library; valid during the callback.
typedef struct extk_end_reason {
  /// One word: "exited", "crashed", "killed", "outOfMemory", "unresponsive", "disabled", "removed", "updated", ...
  /// The interface description io.extensiond.Broker has the whole list.
  const char *kind;
  /// With "exited"; -1 otherwise.
  int exit_status;
  /// With "crashed" and "killed"; 0 otherwise.
  int signal;
  /// One sentence for people, or NULL.
  const char *detail;
} extk_end_reason;

/// How long to wait at most, in milliseconds, where a function takes a timeout: 60 s.
#define EXTK_TIMEOUT_DEFAULT (-1)

/// Starts an extension if it does not run, and returns when it can be connected to. id is an extk_identity's. scene names
/// the scene that it is activated for; NULL: the extension as a whole. Blocks until then, or for timeout milliseconds.
extk_activation *extk_activate(
    extk_host *host, const char *id, const char *scene, int timeout, extk_error **error);

/// The activation belongs to the callback, which frees it later. NULL: it failed, and error says why.
typedef void (*extk_activate_callback)(extk_activation *activation, const extk_error *error, void *user_data);

/// The same without blocking. The callback is called once, unless the host is freed before.
void extk_activate_async(
    extk_host *host, const char *id, const char *scene, int timeout, extk_activate_callback callback,
    void *user_data);

/// The extension ended before the host was done with it.
typedef void (*extk_end_callback)(extk_activation *activation, const extk_end_reason *reason, void *user_data);

/// Whom to tell when the activation ends, also when it has ended already. Called once at most, and not after
/// extk_activation_free(). The activation has still to be freed. Set once.
void extk_activation_on_end(extk_activation *activation, extk_end_callback callback, void *user_data);

/// A new connection to the extension, or to the scene that the activation is for: a stream socket, blocking and
/// close-on-exec, which the caller closes. Blocks until the extension has accepted. -1: it failed, and error says why.
int extk_connect(extk_activation *activation, int timeout, extk_error **error);

/// The descriptor belongs to the callback. -1: it failed, and error says why.
typedef void (*extk_connect_callback)(int descriptor, const extk_error *error, void *user_data);

/// The same without blocking. The callback is called once, unless the host is freed before.
void extk_connect_async(
    extk_activation *activation, int timeout, extk_connect_callback callback, void *user_data);

/// Ends the use of the extension. Its connections are the caller's to close. NULL is allowed.
void extk_activation_free(extk_activation *activation);

// MARK: Showing what it draws

/// A connection of a host that shows the extension, and the display on which it draws.
typedef struct extk_shown {
  /// As that of extk_connect().
  int connection;
  /// The host's end of a Wayland connection: the extension's toolkit is the client, and waits until a compositor has it.
  /// Each process of an extension has one, for all its scenes. It comes with the first such connection to the process; with
  /// later ones, also those that are answered before the first, this is -1.
  int display;
  /// Which process it is: the same for all that draw on one display.
  const char *instance;
  /// By which the extension says that a window on the display is this scene.
  const char *token;
  /// 1: the process knows nothing of scenes, and all windows on the display are this one's.
  int is_unmodified;
} extk_shown;

/// A new connection as extk_connect() makes it, for a host that shows the extension. NULL: it failed, and error says why;
/// EXTK_ERROR_DISPLAY_UNAVAILABLE where the extension has nothing to show.
extk_shown *extk_connect_shown(extk_activation *activation, int timeout, extk_error **error);

/// What is shown belongs to the callback, which frees it later. NULL: it failed, and error says why.
typedef void (*extk_connect_shown_callback)(extk_shown *shown, const extk_error *error, void *user_data);

/// The same without blocking. The callback is called once, unless the host is freed before.
void extk_connect_shown_async(
    extk_activation *activation, int timeout, extk_connect_shown_callback callback, void *user_data);

/// Closes the descriptors in it: set those that you keep to -1 before. NULL is allowed.
void extk_shown_free(extk_shown *shown);

// MARK: The main queue

// Swift code in this library that belongs to the main thread (@MainActor) runs only where the program's loop sees to it.
// Of what is above nothing needs it. extk_main_queue_add() does: with it other threads hand work to the main thread.

/// Readable while there is work for the main thread. Watch it for reading in that thread's loop; never close it.
int extk_main_queue_fd(void);

/// Does the waiting work. On the main thread only, the one whose id is the process id: elsewhere it ends the program.
void extk_main_queue_drain(void);

/// Has the main thread call function(user_data) when it drains next. Any thread may call it.
void extk_main_queue_add(void (*function)(void *user_data), void *user_data);

#ifdef __cplusplus
}
#endif
#endif
