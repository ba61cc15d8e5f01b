import type { OperationContract } from '../../contract';
import type { ExampleValues } from '../help';
import { clientLines } from './client-lines';
import { html, type Html } from './html';
import { codeBlock } from './page-parts';

/**
 * How programs call an operation, folded up by platform.
 *
 * @param url - of the endpoint
 */
export function clientSection(
  service: string,
  operation: OperationContract,
  url: string,
  examples: ExampleValues,
): Html {
  const platforms = clientLines(service, operation, url, examples)
    .filter(({ proxy, call }) => proxy !== undefined || call !== undefined)
    .map(
      ({ id, platform, language, proxy, call }) => html`<details>
<summary>${platform}</summary>
${proxy === undefined ? '' : codeBlock(`${id}-proxy`, 'Proxy', proxy)}${call === undefined ? '' : codeBlock(`${id}-call`, `Call of ${operation.name}, ${language}`, call)}</details>
`,
    );
  return html`<h2 id="proxy">Call it from a program</h2>
<div class="card">
${platforms}</div>
`;
}
