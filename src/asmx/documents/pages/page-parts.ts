import type { OperationContract, ResultContract } from '../../contract';
import { codeBlock } from './code-block';
import { markup, type Markup } from './html';
import { proxyCommands } from './shell-commands';

/** What an operation takes and returns, as a table and a sentence. */
export function operationSignature(operation: OperationContract): Markup {
  return markup`${parameterTable(operation)}<p>${returnsText(operation.result)}</p>\n`;
}

function parameterTable({ name, parameters }: OperationContract): Markup {
  if (parameters.length === 0) return markup`<p>Takes no parameters.</p>\n`;
  const rows = parameters.map(
    (parameter) =>
      markup`<tr><th scope="row"><code>${parameter.name}</code></th><td>${parameter.type}</td></tr>\n`,
  );
  return markup`<table aria-label="Parameters of ${name}">
<thead><tr><th scope="col">Parameter</th><th scope="col">Type</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
`;
}

function returnsText(result: ResultContract): Markup {
  if (result.kind === 'none') return markup`Returns nothing.`;
  if (result.kind === 'string') return markup`Returns a string.`;
  const fields = result.fields.map((field, index) => markup`${index === 0 ? '' : ', '}<code>${field}</code>`);
  return markup`Returns a list of <code>${result.item}</code> with ${fields}, all strings.`;
}

/** How a proxy class is generated, one line for each platform. */
export function proxySection(service: string, url: string): Markup {
  const blocks = proxyCommands(service, url).map(({ platform, command }, index) =>
    codeBlock(`proxy-${String(index)}`, platform, command),
  );
  return markup`<h2 id="proxy">Generate a proxy</h2>
<div class="card">
${blocks}</div>
`;
}
