/** A PNG file of two colours. */
import sharp from 'sharp';

/** Makes a picture of 200 by 120 pixels: a red square on green. */
export async function solidPicture(): Promise<Uint8Array> {
  const square = await sharp({
    create: { width: 60, height: 60, channels: 3, background: '#c02020' },
  })
    .png()
    .toBuffer();
  return sharp({ create: { width: 200, height: 120, channels: 3, background: '#20a060' } })
    .composite([{ input: square, left: 20, top: 20 }])
    .png()
    .toBuffer();
}
