import { timePart } from '../../admin/console/console-page';
import type { ConsoleCore, ConsolePart } from '../../admin/console/console-part';
import type { Words } from '../../admin/texts/words';
import type { LastImport } from '../../store';
import { type Html, html, NOTHING } from '../../support/html';

/** Returns the report of the last import of the folder, below the list of schools. */
export function lastImportPart({ store: { imports } }: ConsoleCore): ConsolePart {
  return {
    belowSchools: async (words) => {
      const last = await imports.last();
      return last === undefined ? NOTHING : reportPart(last, words);
    },
  };
}

function reportPart({ at, isGood, report }: LastImport, words: Words): Html {
  return html`<h2>${words.t('Last import')}</h2>
<p class="${isGood ? 'good' : 'bad'}">${words.t(isGood ? 'Completed' : 'Failed')}, ${timePart(at, words)}</p>
<pre tabindex="0">${report}</pre>
`;
}
