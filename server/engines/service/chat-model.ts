/**
 * A chat model behind an OpenAI-compatible address: vLLM, Ollama, llama.cpp or a hosted service. It
 * is asked for JSON in whichever way its server understands.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { type ServiceCaller, ServiceClient } from './service-client.ts';

interface ChatModelOptions extends ServiceCaller {
  /** Address up to `/v1`, to which `/chat/completions` is appended. */
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
  /** What the model is to do, always the same: nothing that users have written. */
  system: string;
  /** Sent as JSON, so that no text of a user can leave its place. */
  question: object;
  signal: AbortSignal;
}

/** How a request asks for JSON; servers differ in what they know. */
interface RequestShape {
  format: 'json_schema' | 'json_object' | 'none';
  /** Some hosted models refuse every temperature but their own. */
  hasTemperature: boolean;
}

/** From the strictest to what every server takes. */
const shapes: readonly RequestShape[] = [
  { format: 'json_schema', hasTemperature: true },
  { format: 'json_object', hasTemperature: true },
  { format: 'none', hasTemperature: true },
  { format: 'json_schema', hasTemperature: false },
  { format: 'none', hasTemperature: false },
];

/** `{"items":[{"id":"…","text":"…"}]}`. */
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
  /** Makes ids that no text can foresee, and the same ones for the same texts. */
  readonly #idSecret = randomBytes(16);
  /** The shape that the server has taken before. */
  #shape: RequestShape | undefined;

  constructor({ url, model, key, retries, firstDelayMs, ...options }: ChatModelOptions) {
    this.#model = model;
    this.#client = new ServiceClient({
      ...options,
      baseUrl: url,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      ...(retries !== undefined && { retries }),
      ...(firstDelayMs !== undefined && { firstDelayMs }),
    });
  }

  /**
   * The body of the server's answer; undefined when it refuses these texts in every shape.
   *
   * @throws ServiceError as {@link ServiceClient} does
   */
  async ask({ system, question, signal }: ChatInquiry): Promise<{ value: unknown } | undefined> {
    for (const shape of this.#shape === undefined ? shapes : [this.#shape]) {
      const body = this.#body(shape, system, question);
      const answer = await this.#client.request({ path: '/chat/completions', body, signal });
      if (answer.kind === 'value') {
        this.#shape ??= shape;
        return answer;
      }
    }
    return undefined;
  }

  /** Ids for the items of a question, in order. */
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
