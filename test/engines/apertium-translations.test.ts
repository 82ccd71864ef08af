/**
 * What Apertium translates, in one file with one engine: its seven to fourteen programs for each pair take half a
 * second of processor time to start.
 */
import './apertium-modes.ts';
import './apertium-texts.ts';
import './apertium-marks.ts';
import './apertium-names.ts';
import './apertium-grammars.ts';
import './apertium-spanish.ts';
import './apertium-french.ts';
import './apertium-italian.ts';
import './apertium-portuguese.ts';
