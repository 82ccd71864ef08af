/** One track of a room, as the captioner page follows and corrects it. */
import { RoomFeed, type RoomFeedState } from '../../shared/client/room-feed.ts';
import type { RoomLine, RoomServerMessage } from '../../shared/protocol/room-messages.ts';
import {
  emptyRoomTranscript,
  receiveRoomMessage,
  withoutTentative,
  type RoomTranscript,
} from '../room-transcript.ts';
import { heardFromMachine } from './caption-rows.ts';
import type { RoomPlace } from './room-address.ts';

export interface FollowedTrackOptions {
  place: Pick<RoomPlace, 'src' | 'key'>;
  /** One of the room's languages, or `spoken`. */
  language: string;
  onState?: (state: RoomFeedState) => void;
  /** The track changed; receives the lines that were just spoken. */
  onChange: (added: readonly RoomLine[]) => void;
  /** The room itself changed. */
  onRoom: () => void;
  /** The room no longer has this language. */
  onLost: () => void;
}

export class FollowedTrack {
  readonly #options: FollowedTrackOptions;
  readonly #feed: RoomFeed;
  #transcript = emptyRoomTranscript;
  #machine: ReadonlyMap<number, string> = new Map();

  constructor(options: FollowedTrackOptions) {
    this.#options = options;
    const { place, language, onState, onLost } = options;
    this.#feed = new RoomFeed({
      url: place.src,
      key: place.key,
      language,
      onEvent: (event) => {
        if (event.type === 'state') {
          if (event.state !== 'open') this.#show(withoutTentative(this.#transcript));
          onState?.(event.state);
        } else if (event.type === 'language') onLost();
        else if (event.type !== 'entrance') this.#take(event);
      },
    });
  }

  get transcript(): RoomTranscript {
    return this.#transcript;
  }

  /** The machine's version of each line, by line number, whatever a person made of it later. */
  get machine(): ReadonlyMap<number, string> {
    return this.#machine;
  }

  /** Shows a correction at once, until the room sends the line back. */
  correct(line: number, text: string): void {
    const before = this.#transcript.lines.find((each) => each.line === line);
    // A line by a person may already have come back from the room with the room's word replacements applied.
    if (before?.by !== 'machine') return;
    const { tentative } = this.#transcript;
    const lines = [{ ...before, text, by: 'person' }];
    const message = { type: 'captions', language: before.language, lines, tentative } as const;
    this.#show(receiveRoomMessage(this.#transcript, message).transcript);
  }

  close(): void {
    this.#feed.close();
  }

  #take(message: RoomServerMessage): void {
    if (message.type === 'room') this.#options.onRoom();
    if (message.type !== 'history' && message.type !== 'captions') return;
    this.#machine = heardFromMachine(this.#machine, message.lines);
    const { transcript, added } = receiveRoomMessage(this.#transcript, message);
    this.#show(transcript, message.type === 'captions' ? added : []);
  }

  #show(transcript: RoomTranscript, added: readonly RoomLine[] = []): void {
    this.#transcript = transcript;
    this.#options.onChange(added);
  }
}
