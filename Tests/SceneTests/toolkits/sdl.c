// What SDL 2 has of the widgets of test_toolkits.py: a colour, a place to click, text.
#include <SDL2/SDL.h>
#include <stdio.h>

static void draw(SDL_Window *window) {
  SDL_Surface *surface = SDL_GetWindowSurface(window);
  SDL_Rect colour = {250, 20, 100, 100};
  SDL_FillRect(surface, NULL, 0xffffff);
  SDL_FillRect(surface, &colour, 0x20a040);
  SDL_UpdateWindowSurface(window);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (SDL_Init(SDL_INIT_VIDEO) != 0) return 1;
  SDL_Window *window = SDL_CreateWindow("SDL 2", 0, 0, 300, 200, SDL_WINDOW_RESIZABLE);
  char text[64] = "";
  SDL_StartTextInput();
  draw(window);
  for (SDL_Event event; SDL_WaitEvent(&event);) {
    if (event.type == SDL_MOUSEBUTTONUP && event.button.y < 80) puts("button clicked");
    if (event.type == SDL_MOUSEBUTTONUP && event.button.y > 180) {
      SDL_HideWindow(window);
      puts("window hidden");
      SDL_Delay(200);
      SDL_ShowWindow(window);
      draw(window);
    }
    if (event.type == SDL_TEXTINPUT) {
      strncat(text, event.text.text, sizeof text - strlen(text) - 1);
      printf("text %s\n", text);
    }
    if (event.type == SDL_WINDOWEVENT) draw(window);
    if (event.type == SDL_QUIT) {
      puts("window closed");
      break;
    }
  }
  SDL_Quit();
  return 0;
}
