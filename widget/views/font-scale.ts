const LEAST = 0.75;
const MOST = 3;
const STEP = 0.25;

/** A scale that readers can live with, 0.75 to 3. */
export function clampFontScale(scale: number): number {
  return Math.min(MOST, Math.max(LEAST, scale || 1));
}

/** The scale one press of a button away. */
export function nextFontScale(scale: number, direction: -1 | 1): number {
  return clampFontScale(scale + direction * STEP);
}
