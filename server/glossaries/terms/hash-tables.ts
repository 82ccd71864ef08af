/** Sets and lists of numbers that stay small and fast however many there are. */

/** A list of 32-bit numbers that grows by copying, which is quick. */
export class NumberList {
  #values = new Uint32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /** The numbers in an array that is no longer than they are. */
  finish(): Uint32Array {
    return this.#values.slice(0, this.#length);
  }
}

/**
 * Slots for a table of so many items, a power of two that leaves at least a third of them empty: then
 * a search looks at two or three.
 */
export function emptySlots(itemCount: number): Uint32Array {
  return new Uint32Array(2 ** Math.ceil(Math.log2(itemCount * 1.5 + 1)));
}

/** The first slot to look at for a hash. */
export function slotOf(slots: Uint32Array, hash: number): number {
  return (hash ^ (hash >>> 16)) & (slots.length - 1);
}

/** The slot after another one. */
export function nextSlot(slots: Uint32Array, slot: number): number {
  return (slot + 1) & (slots.length - 1);
}

/** Adds a hash to a set of hashes; an empty slot is 0, and so 0 is kept as 1. */
export function addHash(slots: Uint32Array, hash: number): void {
  const kept = hash >>> 0 || 1;
  let slot = slotOf(slots, kept);
  while (slots[slot] !== 0) {
    if (slots[slot] === kept) return;
    slot = nextSlot(slots, slot);
  }
  slots[slot] = kept;
}

/** Whether a hash is in a set of hashes. */
export function hasHash(slots: Uint32Array, hash: number): boolean {
  const kept = hash >>> 0 || 1;
  for (let slot = slotOf(slots, kept); slots[slot] !== 0; slot = nextSlot(slots, slot)) {
    if (slots[slot] === kept) return true;
  }
  return false;
}
