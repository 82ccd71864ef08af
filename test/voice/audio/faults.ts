/** What the first byte of a chunk makes the faulty worker do. */
export const Fault = { hang: 1, exit: 2, memory: 3 } as const;
