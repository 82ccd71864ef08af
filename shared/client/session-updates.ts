/** Changes of a running session on their way to the server: one at a time, until each is answered. */
import type { ServerMessage } from '../protocol/messages.ts';
import type { VoiceSessionUpdate } from '../schemas/voice-session.ts';
import type { SessionRequest } from './token-provider.ts';
import { VoiceError } from './voice-error.ts';

/** In the words of the session request; null takes a wish back. */
export type SessionChanges = Readonly<Omit<VoiceSessionUpdate, 'id'>>;

/** A server that knows of updates says so with its first words; one that has not by then does not. */
const ANNOUNCEMENT_DEADLINE_MS = 3_000;

interface Pending {
  id: string;
  changes: SessionChanges;
  answered: Promise<void>;
  settle: (failure?: VoiceError) => void;
}

/** The updates of one conversation, over all its connections. */
export class SessionUpdates {
  readonly #send: (update: VoiceSessionUpdate) => void;
  readonly #onTaken: (changes: SessionChanges) => void;
  /** Sent, or the next to be. */
  #current: Pending | undefined;
  /** Follows when the current one is answered, all of it as one. */
  #next: Pending | undefined;
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

  /** @throws VoiceError update-refused, update-unsupported; why the session is over */
  add(changes: SessionChanges): Promise<void> {
    const waiting = this.#current === undefined ? undefined : this.#next;
    if (waiting !== undefined) {
      waiting.changes = { ...waiting.changes, ...changes };
      return waiting.answered;
    }
    const pending = this.#pending(changes);
    if (this.#current !== undefined) this.#next = pending;
    else {
      this.#current = pending;
      this.#pump();
    }
    return pending.answered;
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
    if ('session_updated' in message) {
      const wasSupported = this.#isSupported;
      this.#isSupported = true;
      clearTimeout(this.#timer);
      if (message.session_updated.id === this.#current?.id) this.#answer();
      else if (wasSupported !== true) this.#pump();
    } else if ('session_update_refused' in message) {
      const { id, ...refusal } = message.session_update_refused;
      if (id !== undefined && id === this.#current?.id) this.#answer(refusalOf(refusal));
    } else if (this.#isSupported === undefined && isSaid(message)) this.#giveUp();
  }

  /** The request of a new session, with everything that waits. */
  applied(request: SessionRequest): SessionRequest {
    return withChanges(request, { ...this.#current?.changes, ...this.#next?.changes });
  }

  /** A new session begins. @param isApplied whether it was asked for with what waits */
  restart(isApplied: boolean): void {
    this.#isSupported = undefined;
    if (!isApplied) return;
    const waiting = [this.#current, this.#next];
    this.#current = this.#next = undefined;
    for (const pending of waiting) pending?.settle();
  }

  /** The conversation is over. */
  fail(failure: VoiceError): void {
    this.dropped();
    const waiting = [this.#current, this.#next];
    this.#current = this.#next = undefined;
    for (const pending of waiting) pending?.settle(failure);
  }

  #pending(changes: SessionChanges): Pending {
    this.#count += 1;
    let settle: Pending['settle'] = () => undefined;
    const answered = new Promise<void>((resolve, reject) => {
      settle = (failure) => (failure === undefined ? resolve() : reject(failure));
    });
    // Whoever listens to events need not wait.
    answered.catch(() => undefined);
    return { id: String(this.#count), changes, answered, settle };
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
    const answered = this.#current;
    this.#current = this.#next;
    this.#next = undefined;
    if (answered !== undefined && failure === undefined) this.#onTaken(answered.changes);
    answered?.settle(failure);
    this.#pump();
  }

  /** A server of before would end the session at the first word it does not know. */
  #giveUp(): void {
    this.#isSupported = false;
    const waiting = [this.#current, this.#next];
    this.#current = this.#next = undefined;
    for (const pending of waiting) pending?.settle(new VoiceError('update-unsupported'));
  }
}

/** Whether a message follows the announcement in a server that makes one. */
function isSaid(message: ServerMessage): boolean {
  const [name = ''] = Object.keys(message);
  return name.endsWith('_update') && !('source_lag_update' in message);
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
