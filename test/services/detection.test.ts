import { beforeAll, describe, expect, it } from 'vitest';
import { createDetector } from '../../server/engines/detection/detector.ts';
import { createDetection } from '../../server/services/detection.ts';

let detection: ReturnType<typeof createDetection>;
beforeAll(async () => (detection = createDetection(await createDetector())));

const statusOf = (text: string) => detection.detect({ text: [text] }).results[0];

/** The source found for a text when these languages can be translated into the target. */
function sourceOf(text: string, target: string, served: readonly string[]) {
  const serves = ({ source }: { source: string }) => served.includes(source) || source === target;
  return detection.detectSource([[text]], { target, translation: { serves } });
}

describe('the answer about a text', () => {
  it('tells the language when it is one of those that are supported', () => {
    expect(statusOf('The children are playing in the garden.')).toEqual({
      ...{ detection_status: 'success', detected_language: 'en' },
    });
  });

  it.each([
    ['Els nens aprenen a llegir i a escriure el primer any d’escola.', 'Catalan'],
    ['La infanoj lernas legi kaj skribi en la unua jaro de la lernejo.', 'Esperanto'],
    ['Деца уче да читају и пишу у првој години школе.', 'Serbian'],
    ['ბავშვები ბაღში თამაშობენ.', 'Georgian'],
  ])('keeps an unsupported language to itself: %s', (text) => {
    expect(statusOf(text)).toEqual({ detection_status: 'unsupported_language' });
  });

  it('says when candidates are too close, or when there is nothing to tell', () => {
    expect(statusOf('Hotel')).toEqual({ detection_status: 'insufficient_confidence' });
    expect(statusOf('12:30 – 🙂')).toEqual({ detection_status: 'no_language_detected' });
  });

  it('is about each text on its own, in order', () => {
    const text = ['Guten Morgen, wie geht es Ihnen?', '', 'Où est la gare ?', '你好'];
    expect(detection.detect({ text }).results).toEqual([
      { detection_status: 'success', detected_language: 'de' },
      { detection_status: 'no_language_detected' },
      { detection_status: 'success', detected_language: 'fr' },
      { detection_status: 'success', detected_language: 'zh' },
    ]);
  });

  it.each([{}, { text: [] }])('is refused for %j', (request) => {
    expect(() => detection.detect(request)).toThrow('Missing parameter text.');
  });
});

describe('the source of a translation', () => {
  it('is the language of the text', () => {
    expect(sourceOf('Los niños juegan en el jardín.', 'en', ['es', 'fr'])).toBe('es');
    expect(sourceOf('Les enfants jouent dans le jardin.', 'en', ['es', 'fr'])).toBe('fr');
  });

  it('of a short text is the likeliest that can be translated', () => {
    expect(sourceOf('Hotel', 'fr', ['es'])).toBe('es');
    expect(sourceOf('animal', 'fr', ['ca'])).toBe('ca');
  });

  it('is told honestly when a long text is in a language that nobody translates', () => {
    expect(sourceOf('Die Kinder spielen im Garten hinter dem Haus.', 'fr', ['es'])).toBe('de');
    expect(sourceOf('你好', 'fr', ['es'])).toBe('zh');
  });

  it('is the target for texts without a word, so that they stay as they are', () => {
    for (const text of ['', '42', '🙂', '\ud800'])
      expect(sourceOf(text, 'pt-BR', ['es'])).toBe('pt');
  });

  it('is found in the text between marks', () => {
    const segment = [
      'Los niños ',
      { mark: 'open', id: 1 },
      'juegan en el',
      { mark: 'close', id: 1 },
      ' jardín.',
    ] as const;
    const translation = { serves: () => true };
    expect(detection.detectSource([segment], { target: 'en', translation })).toBe('es');
  });
});
