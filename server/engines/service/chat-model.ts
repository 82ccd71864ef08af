/**
 * A chat model behind an OpenAI-compatible API: vLLM, Ollama, llama.cpp or a hosted service. It is asked for
 * JSON in whichever way the server supports.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { bearer, type ServiceCaller, ServiceClient } from './service-client.ts';

interface ChatModelOptions extends ServiceCaller {
  /** Address up to `/v1`; `/chat/completions` is appended. */
  url: string;
  model: string;
  key?: string | undefined;
  timeoutMs: number;
  maxAnswerBytes: number;
  /** See {@link ServiceClient}. */
  retries?: number | undefined;
  firstDelayMs?: number | undefined;
}

interface ChatInquiry {
  /** Constant instructions to the model, without any user content. */
  system: string;
  /** Sent as JSON, so that no user text can break out of its place. */
  question: object;
  signal: AbortSignal;
}

/** Form of the request for JSON; servers differ in what they support. */
interface RequestShape {
  format: 'json_schema' | 'json_object' | 'none';
  /** Some hosted models reject every temperature but their default. */
  hasTemperature: boolean;
}

/** Of so many questions in a row that are refused in a known shape, the first is asked in the others too. */
const REFUSALS_BETWEEN_SEARCHES = 8;

/** From the strictest shape to the one every server accepts. */
const shapes: readonly RequestShape[] = [
  { format: 'json_schema', hasTemperature: true },
  { format: 'json_object', hasTemperature: true },
  { format: 'none', hasTemperature: true },
  { format: 'json_schema', hasTemperature: false },
  { format: 'none', hasTemperature: false },
];

/** Schema of `{"items":[{"id":"…","text":"…"}]}`. */
const answerSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'text'],
        properties: { id: { type: 'string' }, text: { type: 'string' } },
      },
    },
  },
};

export class ChatModel {
  readonly #model: string;
  readonly #client: ServiceClient;
  /** Key for ids that no text can predict, yet that are equal for equal texts. */
  readonly #idSecret = randomBytes(16);
  /** The shape that the server has accepted before. */
  #shape: RequestShape | undefined;
  /** Number of questions in a row that it refused in that shape. */
  #refusals = 0;

  constructor({ url, model, key, ...options }: ChatModelOptions) {
    this.#model = model;
    this.#client = new ServiceClient({ ...options, baseUrl: url, headers: bearer(key) });
  }

  /**
   * Returns the body of the server's response; undefined when it refuses these texts in every shape.
   *
   * @throws ServiceError as {@link ServiceClient} does
   */
  async ask({ system, question, signal }: ChatInquiry): Promise<{ value: unknown } | undefined> {
    const known = this.#shape;
    const asked =
      known === undefined ? shapes : [known, ...shapes.filter((each) => each !== known)];
    for (const shape of asked) {
      const body = this.#body(shape, system, question);
      const answer = await this.#client.request({ path: '/chat/completions', body, signal });
      if (answer.kind === 'value') {
        this.#shape = shape;
        this.#refusals = 0;
        return answer;
      }
      if (shape !== known) continue;
      // The server may no longer be what it was; but usually the texts are at fault.
      this.#refusals += 1;
      if (this.#refusals % REFUSALS_BETWEEN_SEARCHES !== 1) return undefined;
    }
    return undefined;
  }

  /** Returns ids for the items of a question, in order. */
  idsFor(texts: readonly string[]): string[] {
    const hash = createHmac('sha256', this.#idSecret);
    for (const text of texts) hash.update(text).update('\0');
    const prefix = hash.digest('hex').slice(0, 6);
    return texts.map((_, index) => `${prefix}-${index + 1}`);
  }

  #body({ format, hasTemperature }: RequestShape, system: string, question: object): object {
    return {
      model: this.#model,
      stream: false,
      ...(hasTemperature && { temperature: 0 }),
      ...(format === 'json_object' && { response_format: { type: 'json_object' } }),
      ...(format === 'json_schema' && {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'texts', strict: true, schema: answerSchema },
        },
      }),
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: JSON.stringify(question) },
      ],
    };
  }
}
