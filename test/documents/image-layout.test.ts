/** Where the texts of pictures are set. */
import { describe, expect, it } from 'vitest';
import { unitsOf } from '../../server/documents/image/typesetting.ts';

describe('a line of a picture', () => {
  it('does not end at a space that does not break', () => {
    const units = unitsOf('à 10\u00a0km\u202f! \u3000Oui', 'fr').map(({ text }) => text);
    expect(units).toEqual(['à', '10\u00a0km\u202f!', 'Oui']);
  });
});
