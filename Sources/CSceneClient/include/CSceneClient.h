// An extension's side of extk-scene-v1, on the connection that GTK has opened. For GTK's thread alone.
#pragma once

#include <stdint.h>

struct cscene;

struct cscene_events {
  // 0xffRRGGBB, or 0.
  void (*_Nonnull tint)(void *_Nullable context, uint32_t colour);
  // 0 forward, 1 backward.
  void (*_Nonnull focus_in)(void *_Nullable context, uint32_t direction);
  void (*_Nonnull end)(void *_Nullable context);
};

// Begins to listen to what the host says about a scene; display is a GdkDisplay. NULL where it is no display of scenes.
struct cscene *_Nullable cscene_make(
  void *_Nonnull display, const char *_Nonnull token, struct cscene_events events, void *_Nullable context);

// Says that a GdkSurface is the scene's.
void cscene_tag(struct cscene *_Nonnull scene, void *_Nonnull surface);

// Says that the focus leaves the scene: 0 forward, 1 backward.
void cscene_focus_out(struct cscene *_Nonnull scene, uint32_t direction);

// Says that the scene has ended, and frees it.
void cscene_end(struct cscene *_Nonnull scene);
