// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/command.h"

#include <locale.h>

int main(int argc, char **argv)
{
	setlocale(LC_ALL, "");
	return command_main(argc, argv);
}
