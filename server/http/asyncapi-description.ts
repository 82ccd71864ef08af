/** What the AsyncAPI document says in words. */
import { errorTable } from '../../shared/errors.ts';

/** A failure in the three numbers under which a client meets it. */
export interface DescribedError {
  code: string;
  error_code: number;
  reason_code: number;
  close_code: number;
}

/** Every failure of the error table. */
export const describedErrors: readonly DescribedError[] = Object.entries(errorTable).map(
  ([code, { status, detail }]) => ({
    code,
    error_code: status,
    reason_code: status * 10_000 + detail,
    close_code: 4000 + status,
  }),
);

/** The whole course of a session, in Markdown. */
export const socketDescription = `
Live captions and translated speech over one WebSocket.

## A session

1. \`POST /v3/voice/realtime\` answers \`streaming_url\`, \`token\` and \`session_id\`. Open \`{streaming_url}?token={token}\`; a token is good for one connection, and one that is unknown, expired or used is answered with 403 before the upgrade.
2. Send \`source_media_chunk\` while somebody speaks, read the updates, send \`end_of_source_media\`.
3. What was heard is concluded; \`end_of_stream\` is the last message, and the socket closes with 1000.

With \`message_format\` json, messages are JSON in text frames and binary data is base64; with msgpack they are MessagePack in binary frames and binary data is raw bytes. Each message is an object with one key, its name. Ignore messages and fields you do not know.

## When a connection drops

The session goes on for a while without it. \`GET /v3/voice/realtime?token={latest token}\`, with the API key, answers the \`streaming_url\` and a new token; a connection that is still active is dropped. Only the latest token is good for that: an older one ends the session. After an \`error\` message the session is over and cannot be reconnected.

Nothing is lost, in either direction, for clients that ask for it in the session request:

- \`acknowledgements\`: messages that must not be lost carry a \`sequence\`, from 1, and \`source_media_acknowledgement\` tells how much audio has arrived. When you reconnect, say \`last_sequence\` (of the last message you have): what came after it is sent again. The answer says \`received_audio_ms\` and \`received_audio_bytes\`: go on with the audio after them.
- \`lag_updates\`: \`source_lag_update\` tells when the recogniser falls behind the audio, and when it has caught up.
- \`caption_mode\`: how calm captions are; \`instant\`, \`balanced\` (the default) or \`settled\`. With \`settled\`, tentative lists hold nothing that can change.
- \`session_update\`: other targets or terms within the session, in the words of the session request. What is left out stays, null takes it away. \`session_updated\` answers with what is in force, or \`session_update_refused\` with what is wrong, and the session goes on as it was. A language that is added begins with the sentence that is being said; one that is taken away is told that sentence and its end; one that comes back before its end was told goes on without one. With \`session_updates\` the first \`session_updated\` comes at once: a server of before does not send it, and would end the session at a message it does not know.

These are our own additions; a client that knows none of them sees the plain protocol.

## Errors

An \`error\` message and a close code of 4000 + \`error_code\`. \`reason_code\` is \`error_code\` × 10,000 + a detail.

${errorRows()}
`.trim();

function errorRows(): string {
  const rows = describedErrors.map(
    ({ code, error_code, reason_code, close_code }) =>
      `| ${code} | ${error_code} | ${reason_code} | ${close_code} |`,
  );
  return ['| error | error_code | reason_code | close code |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}
