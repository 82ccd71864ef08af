/** Which way translated speech takes from the socket to the ear: browsers differ in what they play. */

/** Raw Opus packets through WebCodecs, WebM through Media Source Extensions, or plain samples. */
export type SpeechPath = 'webcodecs' | 'mse' | 'pcm';

/** What the gateway is asked for, by path. */
export const speechContentTypes: Record<SpeechPath, string> = {
  // Its pages hold whole packets: far less to take apart than WebM.
  webcodecs: 'audio/ogg;codecs=opus',
  mse: 'audio/webm;codecs=opus',
  pcm: 'audio/pcm;encoding=s16le;rate=24000',
};

/** The best path of this browser. */
export function speechPath(): SpeechPath {
  // Firefox has an AudioDecoder too, but its own pipeline for media keeps time better.
  const isFirefox = navigator.userAgent.includes('Firefox/');
  if (typeof AudioDecoder !== 'undefined' && !isFirefox) return 'webcodecs';
  const playsWebm =
    isFirefox &&
    typeof MediaSource !== 'undefined' &&
    MediaSource.isTypeSupported(speechContentTypes.mse);
  return playsWebm ? 'mse' : 'pcm';
}
