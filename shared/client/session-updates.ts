/** Changes of a running session on their way to the server: one at a time, until each is answered. */
import type { ServerMessage } from '../protocol/messages.ts';
import type { VoiceSessionUpdate } from '../schemas/voice-session.ts';
import type { SessionRequest } from './token-provider.ts';
import { VoiceError } from './voice-error.ts';

/** In the words of the session request; null takes a wish back. */
export type SessionChanges = Readonly<Omit<VoiceSessionUpdate, 'id'>>;

/** A server that knows of updates says so with its first words; one that has not by then does not. */
const ANNOUNCEMENT_DEADLINE_MS = 3_000;

/** What one call asked for. */
interface Change {
  changes: SessionChanges;
  /** Whether it was refused with others: then it is tried by itself. */
  isAlone: boolean;
  settle: (failure?: VoiceError) => void;
}

/** What is sent as one. */
interface Update {
  id: string;
  changes: SessionChanges;
  parts: readonly Change[];
}

/** The updates of one conversation, over all its connections. */
export class SessionUpdates {
  readonly #send: (update: VoiceSessionUpdate) => void;
  readonly #onTaken: (changes: SessionChanges) => void;
  /** Sent, or the next to be. */
  #current: Update | undefined;
  /** Those that follow when the current one is answered, as few updates as possible. */
  #waiting: Change[] = [];
  #count = 0;
  #isOpen = false;
  /** Whether this session's server takes updates; undefined until it is known. */
  #isSupported: boolean | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param options.onTaken called when changes are in force */
  constructor(options: {
    send: (update: VoiceSessionUpdate) => void;
    onTaken: (changes: SessionChanges) => void;
  }) {
    this.#send = options.send;
    this.#onTaken = options.onTaken;
  }

  /** Whether the server has said that it takes updates. */
  get areSupported(): boolean {
    return this.#isSupported === true;
  }

  /**
   * What is added while an update is on its way goes with all else that is: a round trip for as many as
   * there are. Where those are refused together, each is tried by itself, in order.
   *
   * @throws VoiceError update-refused, update-unsupported; why the session is over
   */
  add(changes: SessionChanges): Promise<void> {
    const answered = new Promise<void>((resolve, reject) => {
      const settle: Change['settle'] = (failure) =>
        failure === undefined ? resolve() : reject(failure);
      this.#waiting.push({ changes, isAlone: false, settle });
    });
    // Whoever listens to events need not wait.
    answered.catch(() => undefined);
    if (this.#current === undefined) this.#next();
    return answered;
  }

  /** There is a connection: what was not answered is said again. */
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

  /** Whether changes wait for their answers. */
  get isWaiting(): boolean {
    return this.#unanswered().length > 0;
  }

  /** The request of a new session, with everything that waits. */
  applied(request: SessionRequest): SessionRequest {
    return withChanges(request, joined(this.#unanswered()));
  }

  /** A new session begins. @param isApplied whether it was asked for with what waits */
  restart(isApplied: boolean): void {
    this.#isSupported = undefined;
    if (isApplied) this.#settleAll();
  }

  /** The conversation is over. */
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

  /** What waits becomes one update, or the first of it where that is to be tried by itself. */
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

  /** A server of before would end the session at the first word it does not know. */
  #giveUp(): void {
    this.#isSupported = false;
    this.#settleAll(new VoiceError('update-unsupported'));
  }
}

/** Changes as one: of the same wish the last counts. */
function joined(parts: readonly Change[]): SessionChanges {
  return Object.assign({}, ...parts.map(({ changes }) => changes)) as SessionChanges;
}

/** Whether a message follows the announcement in a server that makes one. */
function isSaid(message: ServerMessage): boolean {
  return message.type.endsWith('_update') && message.type !== 'source_lag_update';
}

/** A request as changes make it. */
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
