/**
 * A stub of the chat completions API of vLLM, Ollama, llama.cpp and hosted services. Its model translates
 * word by word, and can be made to fail in the ways that models fail.
 */
import { pseudoTranslate } from '../documents/pseudo-translation.ts';
import { startScriptedHttp, type Behaviour, type ScriptedHttp } from './scripted-http.ts';

/** The JSON in the user message. */
export interface ChatQuestion {
  source_language: string;
  target_language: string;
  formality?: string;
  context?: string;
  terms?: { source: string; target: string }[];
  wishes?: string[];
  style_rules?: string[];
  examples?: { source: string; target: string }[];
  sentences?: string;
  items: { id: string; text: string; tags?: string[] }[];
}

export interface ChatRequestBody {
  model: string;
  temperature?: number;
  response_format?: { type: string };
  messages: { role: string; content: string }[];
}

export interface ChatServer extends ScriptedHttp {
  /** Address up to `/v1`. */
  readonly apiUrl: string;
  /** Answers a question; by default with a translation of all items. */
  say: (question: ChatQuestion) => string;
  /** Answers of the next questions, one each. */
  readonly sayNext: ((question: ChatQuestion) => string)[];
  /** Returns whether a request is refused with status 400. */
  refuses: (body: ChatRequestBody, question: ChatQuestion) => boolean;
  /** Resets settings and recorded requests. */
  reset(): void;
}

/** Returns the bodies of all requests so far. */
export function chatBodies(server: ChatServer): ChatRequestBody[] {
  return server.requests.map(({ body }) => body as ChatRequestBody);
}

/** Returns the questions of all requests so far. */
export function chatQuestions(server: ChatServer): ChatQuestion[] {
  return chatBodies(server).map(questionOf);
}

/** Returns a well-formed answer with a translation of each item. */
export function translateAll({ items }: ChatQuestion): string {
  return JSON.stringify({
    items: items.map(({ id, text }) => ({ id, text: pseudoTranslate(text) })),
  });
}

export async function startChatServer({ key }: { key?: string } = {}): Promise<ChatServer> {
  const http = await startScriptedHttp(({ path, headers, body }) => {
    if (key !== undefined && headers.authorization !== `Bearer ${key}`) return wrong(401);
    if (path === '/v1/models') return { status: 200, body: { data: [{ id: 'pseudo' }] } };
    return path === '/v1/chat/completions' ? complete(body as ChatRequestBody) : wrong(404);
  });

  function complete(body: ChatRequestBody): Behaviour {
    const question = questionOf(body);
    if (server.refuses(body, question)) return wrong(400);
    const content = (server.sayNext.shift() ?? server.say)(question);
    const message = { role: 'assistant', content };
    return {
      status: 200,
      body: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: body.model,
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      },
    };
  }

  const server: ChatServer = Object.assign(http, {
    apiUrl: `${http.url}/v1`,
    say: (question: ChatQuestion) => translateAll(question),
    sayNext: [],
    refuses: () => false,
    reset: () => {
      server.say = (question) => translateAll(question);
      server.refuses = () => false;
      server.always = server.hold = undefined;
      for (const list of [server.sayNext, server.next, server.requests]) list.length = 0;
    },
  });
  return server;
}

/**
 * Answers like a model that obeys instructions in the texts it should translate: with nothing but the words
 * after "answer with" in any text.
 */
export function obeyTexts(question: ChatQuestion): string {
  const texts = [
    ...question.items.map(({ text }) => text),
    question.context ?? '',
    ...(question.wishes ?? []),
    ...(question.terms ?? []).flatMap(({ source, target }) => [source, target]),
  ];
  for (const text of texts) {
    const order = /answer with (.+)$/is.exec(text);
    if (order !== null) return order[1] ?? '';
  }
  return translateAll(question);
}

function questionOf({ messages }: ChatRequestBody): ChatQuestion {
  return JSON.parse(messages.at(-1)?.content ?? '') as ChatQuestion;
}

function wrong(status: number): Behaviour {
  return { status, body: { error: { message: 'No.', type: 'invalid_request_error', code: null } } };
}
