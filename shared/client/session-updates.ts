/** Updates of a running session: sends them to the server one at a time and awaits each answer. */
import type { ServerMessage } from '../protocol/messages.ts';
import type { VoiceSessionUpdate } from '../schemas/voice-session.ts';
import type { SessionRequest } from './token-provider.ts';
import { VoiceError } from './voice-error.ts';

/** Changes, with the field names of the session request; null resets a field. */
export type SessionChanges = Readonly<Omit<VoiceSessionUpdate, 'id'>>;

/**
 * Time for a server to announce that it supports updates, in ms; it does so in its first message.
 * After that, it is assumed not to.
 */
const ANNOUNCEMENT_DEADLINE_MS = 3_000;

/** The changes of one call. */
interface Change {
  changes: SessionChanges;
  /** Whether a combined update was refused, so that this change is retried by itself. */
  isAlone: boolean;
  settle: (failure?: VoiceError) => void;
}

/** Changes that are sent as one update. */
interface Update {
  id: string;
  changes: SessionChanges;
  parts: readonly Change[];
}

/** The updates of one conversation, across all its connections. */
export class SessionUpdates {
  readonly #send: (update: VoiceSessionUpdate) => void;
  readonly #onTaken: (changes: SessionChanges) => void;
  /** The update that was sent, or the next to be sent. */
  #current: Update | undefined;
  /** Changes to be combined into as few updates as possible once the current one is answered. */
  #waiting: Change[] = [];
  #count = 0;
  #isOpen = false;
  /** Whether the server supports updates in this session; undefined while unknown. */
  #isSupported: boolean | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param options.onTaken called when changes take effect */
  constructor(options: {
    send: (update: VoiceSessionUpdate) => void;
    onTaken: (changes: SessionChanges) => void;
  }) {
    this.#send = options.send;
    this.#onTaken = options.onTaken;
  }

  /** Whether the server has announced that it supports updates. */
  get areSupported(): boolean {
    return this.#isSupported === true;
  }

  /**
   * Queues changes. Changes added while an update is in flight are combined into the next one. If a
   * combined update is refused, its changes are retried one by one, in order.
   *
   * @throws VoiceError update-refused, update-unsupported, or the reason why the session ended
   */
  add(changes: SessionChanges): Promise<void> {
    const answered = new Promise<void>((resolve, reject) => {
      const settle: Change['settle'] = (failure) =>
        failure === undefined ? resolve() : reject(failure);
      this.#waiting.push({ changes, isAlone: false, settle });
    });
    // Callers that listen to events need not await the result.
    answered.catch(() => undefined);
    if (this.#current === undefined) this.#next();
    return answered;
  }

  /** Called for each new connection: sends the unanswered update again. */
  open(): void {
    this.#isOpen = true;
    this.#pump();
  }

  dropped(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
  }

  receive(message: ServerMessage): void {
    if (message.type === 'session_updated') {
      const wasSupported = this.#isSupported;
      this.#isSupported = true;
      clearTimeout(this.#timer);
      const { id } = message;
      if (id !== undefined && id === this.#current?.id) this.#answer();
      else if (wasSupported !== true) this.#pump();
    } else if (message.type === 'session_update_refused') {
      const { id } = message;
      if (id !== undefined && id === this.#current?.id) this.#answer(refusalOf(message));
    } else if (this.#isSupported === undefined && isSaid(message)) this.#giveUp();
  }

  /** Whether unanswered changes exist. */
  get isWaiting(): boolean {
    return this.#unanswered().length > 0;
  }

  /** Returns the request of a new session with all unanswered changes applied. */
  applied(request: SessionRequest): SessionRequest {
    return withChanges(request, joined(this.#unanswered()));
  }

  /**
   * Called when a new session begins.
   *
   * @param isApplied whether its request included the unanswered changes
   */
  restart(isApplied: boolean): void {
    this.#isSupported = undefined;
    if (isApplied) this.#settleAll();
  }

  /** Called when the conversation ends. */
  fail(failure: VoiceError): void {
    this.dropped();
    this.#settleAll(failure);
  }

  #unanswered(): Change[] {
    return [...(this.#current?.parts ?? []), ...this.#waiting];
  }

  #settleAll(failure?: VoiceError): void {
    const unanswered = this.#unanswered();
    this.#current = undefined;
    this.#waiting = [];
    for (const { settle } of unanswered) settle(failure);
  }

  /** Combines the waiting changes into the next update; a change to be retried by itself forms its own. */
  #next(): void {
    const together = this.#waiting.findIndex(({ isAlone }) => isAlone);
    const size = together === -1 ? this.#waiting.length : Math.max(1, together);
    const parts = this.#waiting.splice(0, size);
    this.#current = undefined;
    if (parts.length === 0) return;
    this.#count += 1;
    this.#current = { id: String(this.#count), changes: joined(parts), parts };
    this.#pump();
  }

  #pump(): void {
    if (this.#current === undefined || !this.#isOpen) return;
    if (this.#isSupported === true) {
      this.#send({ id: this.#current.id, ...this.#current.changes });
    } else if (this.#isSupported === false) this.#giveUp();
    else {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#giveUp(), ANNOUNCEMENT_DEADLINE_MS);
    }
  }

  #answer(failure?: VoiceError): void {
    const { changes, parts = [] } = this.#current ?? {};
    if (failure !== undefined && parts.length > 1) {
      this.#waiting.unshift(...parts.map((part) => ({ ...part, isAlone: true })));
    } else {
      if (failure === undefined && changes !== undefined) this.#onTaken(changes);
      for (const { settle } of parts) settle(failure);
    }
    this.#next();
  }

  /** Never sends an update to an older server: it would end the session at an unknown message. */
  #giveUp(): void {
    this.#isSupported = false;
    this.#settleAll(new VoiceError('update-unsupported'));
  }
}

/** Merges changes; for the same field, the last one counts. */
function joined(parts: readonly Change[]): SessionChanges {
  return Object.assign({}, ...parts.map(({ changes }) => changes)) as SessionChanges;
}

/** Whether a supporting server would have announced itself before this message. */
function isSaid(message: ServerMessage): boolean {
  return message.type.endsWith('_update') && message.type !== 'source_lag_update';
}

/** Applies changes to a request. */
export function withChanges(request: SessionRequest, changes: SessionChanges): SessionRequest {
  const wishes = Object.entries<unknown>({ ...request, ...changes });
  return Object.fromEntries(
    wishes.filter(([, wish]) => wish !== null && wish !== undefined),
  ) as unknown as SessionRequest;
}

function refusalOf(refusal: {
  error_code: number;
  reason_code: number;
  error_message: string;
}): VoiceError {
  return new VoiceError('update-refused', {
    message: refusal.error_message,
    status: refusal.error_code,
    reasonCode: refusal.reason_code,
  });
}
