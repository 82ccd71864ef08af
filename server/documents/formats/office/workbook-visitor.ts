/** What changes in the workbook's main part: names that refer to tables, and when it is calculated. */
import type { PartVisitor } from './part-reading.ts';
import { renameFormula } from './sheet-formulas.ts';
import type { RenamedColumns } from './structured-references.ts';
import { withAttribute } from './xml-text.ts';

/** What may follow the settings of calculation (ISO/IEC 29500-1, 18.2.27). */
const FOLLOWING = new Set([
  'x:oleSize',
  'x:customWorkbookViews',
  'x:pivotCaches',
  'x:smartTagPr',
  'x:smartTagTypes',
  'x:webPublishing',
  'x:fileRecoveryPr',
  'x:webPublishObjects',
  'x:extLst',
]);

/**
 * A visitor for writing the main part.
 *
 * @param options.isCalculated whether formulas are calculated when the workbook is opened: the results
 *   it holds are those of the texts before
 */
export function workbookVisitor(options: {
  renamed: RenamedColumns;
  isCalculated: boolean;
}): PartVisitor {
  const { renamed, isCalculated } = options;
  let isSet = !isCalculated;
  let prefix = '';
  const settings = (): string => {
    isSet = true;
    return `<${prefix}calcPr fullCalcOnLoad="1"/>`;
  };
  return {
    isTree: (name) => name === 'x:definedName',
    tree: (name) => renameFormula(name, renamed),
    open: (name, tag) => {
      if (name === 'x:workbook') prefix = /^<(\w+:)?/.exec(tag)?.[1] ?? '';
      if (isSet) return undefined;
      if (name === 'x:calcPr') {
        isSet = true;
        return withAttribute(tag, 'fullCalcOnLoad', '1');
      }
      return FOLLOWING.has(name) ? settings() + tag : undefined;
    },
    close: (name, tag) => (name === 'x:workbook' && !isSet ? settings() + tag : undefined),
  };
}
