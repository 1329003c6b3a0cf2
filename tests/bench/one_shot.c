// SPDX-License-Identifier: GPL-2.0-only
/* The least a guest can do: be /init and power off. What bare QEMU is measured with. */
#include <sys/reboot.h>

int main(void)
{
	reboot(RB_POWER_OFF);
	return 1;
}
