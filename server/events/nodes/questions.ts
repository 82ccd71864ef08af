/**
 * Requests to the home of a room, over streams of the broker. The home may change meanwhile, so a question is
 * repeated under the same id until answered, and a node that has answered it recognises the id.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError, type ErrorCode } from '../../../shared/errors.ts';
import type { Broker } from '../../broker/index.ts';
import type { Logger } from '../../process/log.ts';
import { Remembered } from './room-notes.ts';
import type { SharedCaption } from '../embedded-caption-log.ts';

/** A node's claim to become the home, as a session speaks there. */
export interface HomeClaim {
  sessionId: string;
  /** Whether the claimant was the home before; it then yields to any other speaker. */
  isResuming: boolean;
}

/** What `SharedRoom` calls in the room that it shares with other nodes. */
export interface RoomHost {
  /** Called when this node becomes the home. */
  onHome(): void;
  /** Called when it is not the home any more. @param lost captions told here and on no other node */
  onFollow(lost: readonly SharedCaption[]): void;
  /** Called when captions up to a sequence have been deleted. */
  onForgotten(upTo: number): void;
  /**
   * Called when a session speaks at another node, which is to become the home.
   *
   * @returns the local session if it keeps the floor; otherwise undefined, once all pending lines are
   *   appended
   */
  onClaim(claim: HomeClaim): Promise<string | undefined>;
  answer(question: unknown, id: string): Promise<unknown>;
  /** Whether other nodes have readers of the room. */
  isReadElsewhere(): boolean;
}

/** How long a question or an answer may wait to be read, in ms. */
const TTL_MS = 30_000;
const KEPT = { maxLength: 2_000, ttlMs: TTL_MS };
/** Interval at which a question is repeated, in ms. */
const AGAIN_MS = 1_000;
/**
 * Maximum number of answers remembered for repeated questions, each for as long as a question may wait to be
 * read.
 */
const MAX_ANSWERED = 100;

interface Asked {
  id: string;
  from: string;
  question: unknown;
}

type Answer = { id: string; value: unknown } | { id: string; code: ErrorCode; message: string };

/** @param id the same each time the question is repeated */
export type AnswerQuestion = (question: unknown, id: string) => Promise<unknown>;

export interface Questions {
  /**
   * Asks the home. @throws ServiceError as thrown by the home; broker_unavailable if no node answers in time
   */
  ask(roomId: string, question: object, wait: { forMs: number; id?: string }): Promise<unknown>;
  /**
   * Answers the questions about a room.
   *
   * @param sinceId earlier questions are ignored, as a node that still waits repeats them
   * @returns a function that stops answering
   */
  answer(roomId: string, sinceId: number, answer: AnswerQuestion): () => void;
  /** Deletes the pending questions about a room. */
  drop(roomId: string): Promise<void>;
  stop(): void;
}

export function createQuestions(
  broker: QuestionsBroker,
  log: Logger,
  rememberedMs = TTL_MS,
): Questions {
  const { streams } = broker;
  const asking = createAsking(broker);
  const answerOnce = createAnswering(broker, log, rememberedMs);
  return {
    ask: (...question) => asking.ask(...question),
    answer: (roomId, sinceId, answer) =>
      streams.follow(questionsOf(roomId), 0, ({ id, bytes }) => {
        if (id >= sinceId) answerOnce(JSON.parse(bytes.toString()) as Asked, answer);
        // A node that gets no answer repeats its question.
        streams.trim(questionsOf(roomId), id).catch(() => undefined);
      }),
    drop: (roomId) => streams.drop(questionsOf(roomId)),
    stop: () => asking.stop(),
  };
}

type QuestionsBroker = Pick<Broker, 'streams' | 'node'>;

function createAsking({ streams, node }: QuestionsBroker): Pick<Questions, 'ask' | 'stop'> {
  const waiting = new Map<string, (answer: Answer) => void>();
  let unfollow: (() => void) | undefined;
  return {
    async ask(roomId, question, { forMs, id = randomUUID() }) {
      unfollow ??= streams.follow(answersOf(node), 0, async ({ id: entry, bytes }) => {
        const answer = JSON.parse(bytes.toString()) as Answer;
        waiting.get(answer.id)?.(answer);
        await streams.trim(answersOf(node), entry).catch(() => undefined);
      });
      const untilMs = performance.now() + forMs;
      const found = new Promise<Answer>((resolve) => waiting.set(id, resolve));
      const asked = JSON.stringify({ id, from: node, question } satisfies Asked);
      try {
        while (performance.now() < untilMs) {
          await streams.append(questionsOf(roomId), asked, KEPT).catch(() => undefined);
          const again = delay(AGAIN_MS, undefined, { ref: false });
          const answer = await Promise.race([found, again]);
          if (answer === undefined) continue;
          if ('value' in answer) return answer.value;
          throw new ServiceError(answer.code, answer.message);
        }
      } finally {
        waiting.delete(id);
      }
      throw new ServiceError('broker_unavailable', NOBODY);
    },
    stop: () => unfollow?.(),
  };
}

function createAnswering({ streams }: QuestionsBroker, log: Logger, rememberedMs: number) {
  const answered = new Remembered<Promise<Answer>>(MAX_ANSWERED);

  async function reply({ id, question }: Asked, answer: AnswerQuestion): Promise<Answer> {
    try {
      return { id, value: (await answer(question, id)) ?? null };
    } catch (error) {
      if (error instanceof NotHome) throw error;
      if (!(error instanceof ServiceError))
        log.error({ err: error }, 'a request to the home server of a room failed');
      const { code, message } = error instanceof ServiceError ? error : failed();
      return { id, code, message };
    }
  }

  return (asked: Asked, answer: AnswerQuestion): void => {
    const known = answered.get(asked.id);
    const replied = known ?? reply(asked, answer);
    answered.set(asked.id, replied);
    replied
      .then((text) => {
        if (known === undefined) setTimeout(() => answered.delete(asked.id), rememberedMs).unref();
        return streams.append(answersOf(asked.from), JSON.stringify(text), KEPT);
      })
      .catch((error: unknown) => {
        // Another node answers, or this one does when asked again.
        if (error instanceof NotHome) answered.delete(asked.id);
        else log.warn({ err: error }, 'an answer to another server was not sent');
      });
  };
}

/** Thrown where this node is not the home of the room, or not any more. */
export class NotHome extends Error {}

const NOBODY = 'No server answers for the room at the moment. Please try again.';

function failed(): ServiceError {
  return new ServiceError('internal', 'Something went wrong. Please try again.');
}

function questionsOf(roomId: string): string {
  return `room ${roomId} questions`;
}

function answersOf(node: string): string {
  return `answers ${node}`;
}
