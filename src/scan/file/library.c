/*
 * Loads a shared library with dlopen.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/library.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

static void *open_library(const char *file)
{
	const char *slash = strrchr(file, '/');

	return dlopen(slash == NULL ? file : slash + 1, RTLD_NOW | RTLD_LOCAL);
}

bool library_load(const char *file, const char *const *names, void *table)
{
	void *library = open_library(file), *function;

	for (size_t i = 0; library != NULL && names[i] != NULL; i++) {
		function = dlsym(library, names[i]);
		if (function == NULL)
			return false;
		memcpy((char *)table + i * sizeof function, &function, sizeof function);
	}
	return library != NULL;
}

bool library_is_installed(const char *file)
{
	return access(file, F_OK) == 0 || open_library(file) != NULL;
}
