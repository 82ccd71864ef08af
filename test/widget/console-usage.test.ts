import fc from '../support/suite/properties.ts';
import type { TemplateResult } from 'lit';
import { describe, expect, it } from 'vitest';
import {
  axisTicks,
  plainUnit,
  shownLabels,
  speechUnit,
} from '../../widget/console/parts/bar-plot.ts';
import { limitNotes } from '../../widget/console/pages/meter.ts';
import { plotAsCsv, usagePlot, type UsageRow } from '../../widget/console/pages/usage-plot.ts';
import {
  daysOf,
  lengthOf,
  presetRange,
  rangeProblem,
} from '../../widget/console/pages/usage-range.ts';

const noon = Date.parse('2026-03-31T12:00:00Z');

describe('usage date ranges', () => {
  it('are in UTC and include the last day', () => {
    expect(presetRange('7-days', noon)).toEqual({ start: '2026-03-25', end: '2026-03-31' });
    expect(presetRange('this-month', noon)).toEqual({ start: '2026-03-01', end: '2026-03-31' });
    expect(presetRange('last-month', noon)).toEqual({ start: '2026-02-01', end: '2026-02-28' });
    expect(presetRange('12-months', noon)).toEqual({ start: '2025-04-01', end: '2026-03-31' });
    expect(presetRange('last-month', Date.parse('2026-01-01T00:00:00Z'))).toEqual({
      start: '2025-12-01',
      end: '2025-12-31',
    });
  });

  it('have every day once, across clock changes too', () => {
    const days = daysOf({ start: '2026-03-01', end: '2026-11-30' });
    expect(days).toHaveLength(lengthOf({ start: '2026-03-01', end: '2026-11-30' }));
    expect(new Set(days).size).toBe(275);
    expect([days[0], days.at(-1)]).toEqual(['2026-03-01', '2026-11-30']);
  });

  it('are refused when they are reversed, incomplete or longer than a report', () => {
    expect(rangeProblem({ start: '2026-02-02', end: '2026-02-01' })).toMatch(/before/);
    expect(rangeProblem({ start: '', end: '2026-02-01' })).toMatch(/Choose/);
    expect(rangeProblem({ start: '2025-01-01', end: '2026-01-02' })).toMatch(/366/);
    expect(rangeProblem({ start: '2025-01-01', end: '2026-01-01' })).toBeUndefined();
  });
});

const range = { start: '2026-03-01', end: '2026-03-31' };
const amount = fc.nat({ max: 1_000_000 });
const row: fc.Arbitrary<UsageRow> = fc.record({
  day: fc.constantFrom(...daysOf(range)),
  group: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'),
  name: fc.constant('same name'),
  text: amount,
  document: amount,
  improvement: amount,
  speechMs: amount,
});

describe('usage plots', () => {
  it('show exactly the reported usage in any grouping', () => {
    const groupings = fc.constantFrom('kind' as const, 'key' as const, 'tag' as const);
    const measures = fc.constantFrom('characters' as const, 'speech' as const);
    const ranges = fc.constantFrom(range, { start: '2026-01-01', end: '2026-12-31' });
    fc.assert(
      fc.property(fc.array(row), groupings, measures, ranges, (rows, grouping, measure, span) => {
        const plot = usagePlot({ range: span, rows, grouping, measure });
        const ofRow = (each: UsageRow) =>
          measure === 'speech' ? each.speechMs : each.text + each.document + each.improvement;
        const reported = rows.reduce((sum, each) => sum + ofRow(each), 0);
        const totals = plot.series.reduce((sum, { total }) => sum + total, 0);
        const drawn = plot.series.flatMap(({ values }) => values).reduce((a, b) => a + b, 0);
        expect([totals, drawn]).toEqual([reported, reported]);
        expect(plot.series.length).toBeLessThanOrEqual(6);
        expect(new Set(plot.series.map(({ part }) => part)).size).toBe(plot.series.length);
      }),
    );
  });

  it('have a bar for each day, or for each month of a long range', () => {
    const empty = { rows: [], grouping: 'kind', measure: 'characters' } as const;
    expect(usagePlot({ range, ...empty }).buckets).toHaveLength(31);
    const year = { start: '2025-04-01', end: '2026-03-31' };
    expect(usagePlot({ range: year, ...empty }).buckets).toHaveLength(12);
  });

  it('are exported with labels as text, never as formulas', () => {
    const buckets = [{ label: '1 Mar', fullLabel: 'Sunday, 1 March 2026' }];
    const series = [{ name: '=1+1', part: 1, values: [12], total: 12 }];
    expect(plotAsCsv({ buckets, series })).toBe(`,'=1+1\r\n"Sunday, 1 March 2026",12\r\n`);
  });
});

describe('plot axes', () => {
  it('extend from 0 to above the highest bar in a few round steps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (highest) => {
        for (const unit of [plainUnit, speechUnit(highest)]) {
          const ticks = axisTicks(highest, unit);
          expect(ticks[0]).toBe(0);
          expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest);
          expect(ticks.length).toBeGreaterThanOrEqual(2);
          expect(ticks.length).toBeLessThanOrEqual(6);
        }
      }),
    );
    expect(axisTicks(3, plainUnit)).toEqual([0, 1, 2, 3]);
    expect(axisTicks(118_000, plainUnit)).toEqual([0, 50_000, 100_000, 150_000]);
  });

  it('have only as many labels as fit, including the newest', () => {
    expect(shownLabels(30, 10)).toHaveLength(10);
    expect(shownLabels(30, 10).at(-1)).toBe(29);
    expect(shownLabels(3, 10)).toEqual([0, 1, 2]);
  });
});

describe('the hint for an account near its limit', () => {
  const usage = {
    ...{ start_time: '2026-03-01T00:00:00Z', end_time: '2026-04-01T00:00:00Z' },
    characters: {
      ...{ used: 96, limit: 100, text_translation: 96, document_translation: 0 },
      text_improvement: 0,
    },
    speech: { used_ms: 0, limit_ms: null },
  };
  const note = (name: string, isOperator = true) => {
    const account = {
      ...{ account_id: 'ID', name, plan: 'pro' as const, features: [] },
      ...{ usage_limits: { characters: 100, speech_to_text_milliseconds: null } },
      creation_time: usage.start_time,
    };
    const notes = limitNotes(usage, { account, is_operator: isOperator, expires_at: '' });
    return notes.map(textOf).join('\n').replace(/\s+/g, ' ');
  };

  it('is the command that raises it, with a name only if a shell takes the name for one word', () => {
    for (const name of ['default', 'my-shop_2', 'desk@example.org']) {
      expect(note(name)).toContain(`account change ${name} --characters NUMBER`);
    }
    for (const name of [
      'two words',
      '$(reboot)',
      "o'clock",
      '-x',
      'a;b',
      'a*',
      'é',
      '#1',
      '~',
      '',
    ]) {
      expect(note(name)).toContain('account change ID --characters NUMBER');
    }
    expect(note('default')).toContain('has used 96 % of its characters');
  });

  it('contains no command for users who cannot run it', () => {
    expect(note('shop', false)).toContain('Whoever runs the server can raise it.');
    expect(note('shop', false)).not.toContain('npm');
  });
});

/** Returns the content of a template, with its tags. */
function textOf(part: unknown): string {
  if (typeof part === 'string' || typeof part === 'number') return String(part);
  if (part === null || typeof part !== 'object' || !('strings' in part)) return '';
  const { strings, values } = part as TemplateResult;
  return strings.map((text, at) => `${text}${textOf(values[at])}`).join('');
}
