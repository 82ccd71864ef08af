/**
 * Import this first in a child process that its parent ends: Ctrl+C in a terminal and a service
 * manager's stop signal reach every process of the group, and the parent still needs its children
 * to bring what is under way to a good end. The child ends when its stdin does.
 */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
