/** What goes wrong with a connection, told without addresses, keys or texts. */

/** Why a connection is of no use any more; another one may be. */
export class Setback extends Error {
  /** What is wrong, to follow the name of the engine. */
  readonly problem: string;
  /** `refusal`: the next try would end in the same way; `renewal`: nothing is wrong at all. */
  readonly kind: 'failure' | 'refusal' | 'renewal';
  /** For the log. */
  readonly fields: object;

  constructor(problem: string, { kind, fields }: Partial<Pick<Setback, 'kind' | 'fields'>> = {}) {
    super(problem);
    this.name = 'Setback';
    this.problem = problem;
    this.kind = kind ?? 'failure';
    this.fields = fields ?? {};
  }
}
