// The program has a main function of its own.
#define SDL_MAIN_HANDLED
#include <SDL.h>
