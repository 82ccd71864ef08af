/** Registers `<voice-captions>`. A page loads this file and writes the tag. */
import { VoiceCaptions } from './voice-captions.ts';

// Two scripts of one page may both bring the element; the first stays.
if (customElements.get('voice-captions') === undefined) {
  customElements.define('voice-captions', VoiceCaptions);
}

export { VoiceCaptions };
