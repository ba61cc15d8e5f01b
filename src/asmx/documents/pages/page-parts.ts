import type { OperationContract, ResultContract } from '../../contract';
import { codeBlock } from './code-block';
import { html, type Html } from './html';
import { proxyCommands } from './shell-commands';

/** What an operation takes and returns, as a table and a sentence. */
export function operationSignature(operation: OperationContract): Html {
  return html`${parameterTable(operation)}<p>${returnsText(operation.result)}</p>\n`;
}

function parameterTable({ name, parameters }: OperationContract): Html {
  if (parameters.length === 0) return html`<p>Takes no parameters.</p>\n`;
  const rows = parameters.map(
    (parameter) =>
      html`<tr><th scope="row"><code>${parameter.name}</code></th><td>${parameter.type}</td></tr>\n`,
  );
  return html`<table aria-label="Parameters of ${name}">
<thead><tr><th scope="col">Parameter</th><th scope="col">Type</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
`;
}

function returnsText(result: ResultContract): Html {
  if (result.kind === 'none') return html`Returns nothing.`;
  if (result.kind === 'string') return html`Returns a string.`;
  const fields = result.fields.map((field, index) => html`${index === 0 ? '' : ', '}<code>${field}</code>`);
  return html`Returns a list of <code>${result.item}</code> with ${fields}, all strings.`;
}

/** How a proxy class is generated, one line for each platform. */
export function proxySection(service: string, url: string): Html {
  const blocks = proxyCommands(service, url).map(({ platform, command }, index) =>
    codeBlock(`proxy-${String(index)}`, platform, command),
  );
  return html`<h2 id="proxy">Generate a proxy</h2>
<div class="card">
${blocks}</div>
`;
}
