/** Updates of a running session's targets and terms, checked like a session request and applied in order. */
import { Compile } from 'typebox/compile';
import { ServiceError, toSocket, invalid } from '../../../shared/errors.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import {
  changeableFields,
  VoiceSessionRequest,
  VoiceSessionUpdate,
} from '../../../shared/schemas/voice-session.ts';
import type { CheckedVoiceRequest } from './voice-session-request.ts';

/** Number of waiting updates above which the client is held back. */
const MAX_WAITING = 16;

/** A `session_update` as received. */
export type SentUpdate = Readonly<Record<string, unknown>>;

/** Initial terms of a session. */
export interface SessionTerms {
  /** The request that opened the session; `path` is the checked form of its targets and speech. */
  request: VoiceSessionRequest;
  path: Pick<CheckedVoiceRequest['path'], 'targets' | 'speech'>;
  /** Checks a request on behalf of the session's caller. @throws ServiceError */
  check: (request: VoiceSessionRequest) => Promise<CheckedVoiceRequest>;
}

export interface SessionUpdatesOptions {
  /** Puts a checked path in force; returns false when the voice path has already ended. */
  apply: (path: CheckedVoiceRequest['path']) => boolean;
  /** Called with the changed request before the client learns of it. */
  onChanged?: (request: VoiceSessionRequest) => void;
  /** Received audio, in ms. */
  receivedMs: () => number;
  /** Queues a message behind those of the voice path; resolves when there is room for more. */
  tell: (message: ServerMessage) => Promise<void>;
  /** Called when {@link SessionUpdates.isFull} may have changed. */
  onWaiting: () => void;
}

export interface SessionUpdates {
  /** Whether the client should be held back. */
  readonly isFull: boolean;
  /** Target languages in force, as requested. */
  readonly targetLanguages: readonly string[];
  /** Sends the terms in force to the client. */
  tellTerms(): void;
  /** Takes an update; updates are answered in order. */
  take(update: SentUpdate): void;
  /** Marks the end of the audio; later updates are refused. */
  end(): void;
}

export function createSessionUpdates(
  { check, ...terms }: SessionTerms,
  options: SessionUpdatesOptions,
): SessionUpdates {
  const { apply, tell, onWaiting } = options;
  let { request, path } = terms;
  let waiting = 0;
  let hasEnded = false;
  let last = Promise.resolve();

  const updated = (id: string | undefined): ServerMessage => ({
    type: 'session_updated',
    ...(id !== undefined && { id }),
    start_time: Math.round(options.receivedMs()),
    ...termsOf(request, path),
  });

  async function answer(update: SentUpdate, isLate: boolean): Promise<void> {
    const id = idOf(update);
    try {
      if (isLate) throw ended();
      const { next, checked } = await checkedOf(changed(request, update), update, check);
      if (!apply(checked.path)) throw ended();
      request = next;
      ({ path } = checked);
      checked.prepare();
      options.onChanged?.(next);
      await tell(updated(id));
    } catch (error) {
      await tell(refused(id, error));
    }
  }

  const count = (more: number): void => {
    waiting += more;
    onWaiting();
  };

  return {
    get isFull() {
      return waiting > MAX_WAITING;
    },
    get targetLanguages() {
      return path.targets.map(({ requested }) => requested);
    },
    tellTerms: () => void tell(updated(undefined)),
    take(update) {
      const isLate = hasEnded;
      last = last.then(() => answer(update, isLate)).then(() => count(-1));
      count(1);
    },
    end() {
      hasEnded = true;
    },
  };
}

const isUpdate = Compile(VoiceSessionUpdate);
const isChangeable: ReadonlySet<string> = new Set(changeableFields);

/** Returns the update's id if it is valid, so that the answer can repeat it. */
function idOf({ id }: SentUpdate): string | undefined {
  return typeof id === 'string' && isUpdate.Check({ id }) ? id : undefined;
}

/**
 * Returns the request with the update applied.
 *
 * @throws ServiceError invalid_request, listing what is possible
 */
function changed(request: VoiceSessionRequest, update: SentUpdate): VoiceSessionRequest {
  if (!isUpdate.Check(update)) {
    const [fault] = isUpdate.Errors(update);
    throw invalid(
      `session_update${fault?.instancePath ?? ''} ${fault?.message ?? 'is malformed'}.`,
    );
  }
  for (const name of Object.keys(VoiceSessionRequest.properties) as (keyof VoiceSessionRequest)[]) {
    const wish = (update as SentUpdate)[name] ?? request[name];
    if (isChangeable.has(name) || wish === request[name]) continue;
    throw invalid(
      `${name} cannot change within a session: begin another one. ${changeableFields.join(', ')} can.`,
    );
  }
  const wishes = Object.entries(update).filter(([name]) => isChangeable.has(name));
  const given = Object.entries<unknown>({ ...request, ...Object.fromEntries(wishes) });
  const next = Object.fromEntries(
    given.filter(([, wish]) => wish !== null),
  ) as unknown as VoiceSessionRequest;
  return next.target_media_languages?.length ? next : withoutSpeech(next, update);
}

/** What an account may delete while a session uses it. */
const deletable = ['glossary_id', 'spoken_terms_id'] as const;

/**
 * Checks the changed request. What has been deleted since the session began, and is not asked for again by this
 * update, is left out.
 *
 * @throws ServiceError of the check
 */
async function checkedOf(
  request: VoiceSessionRequest,
  update: SentUpdate,
  check: SessionTerms['check'],
): Promise<{ next: VoiceSessionRequest; checked: CheckedVoiceRequest }> {
  const kept = deletable.filter((name) => name in request && update[name] == null);
  let reason: unknown;
  for (const gone of [[], ...kept.map((name) => [name]), kept]) {
    const left = Object.entries(request).filter(([name]) => !gone.some((each) => each === name));
    const next = Object.fromEntries(left) as unknown as VoiceSessionRequest;
    try {
      return { next, checked: await check(next) };
    } catch (error) {
      reason ??= error;
      if (!(error instanceof ServiceError && error.code === 'not_found')) throw reason;
    }
  }
  throw reason;
}

/** Drops the speech settings along with the speech, unless this very update sets them, which is an error. */
function withoutSpeech(
  { target_media_content_type, target_media_voice, ...next }: VoiceSessionRequest,
  update: VoiceSessionUpdate,
): VoiceSessionRequest {
  return {
    ...next,
    ...(update.target_media_content_type != null && { target_media_content_type }),
    ...(update.target_media_voice != null && { target_media_voice }),
  };
}

function refused(id: string | undefined, error: unknown): ServerMessage {
  const { error_code, reason_code, error_message } = toSocket(error, '').message;
  return {
    type: 'session_update_refused',
    ...(id !== undefined && { id }),
    error_code,
    reason_code,
    error_message,
  };
}

function termsOf(
  { glossary_id, formality, spoken_terms_id }: VoiceSessionRequest,
  { targets, speech }: SessionTerms['path'],
) {
  return {
    target_languages: targets.map(({ requested }) => requested),
    ...(speech !== undefined && { target_media_languages: [speech.target.requested] }),
    ...(glossary_id !== undefined && { glossary_id }),
    ...(formality !== undefined && { formality }),
    ...(spoken_terms_id !== undefined && { spoken_terms_id }),
  };
}

function ended(): ServiceError {
  return new ServiceError(
    'media_after_end',
    'The audio has ended: nothing follows that an update could change.',
  );
}
