import type { OperationContract, ResultContract } from '../../contract';
import { html, type Html, inlineText } from './html';
import { MessageTemplate } from './message-template';
import { proxyCommands } from './shell-commands';

/**
 * A text in a box of its own, with a button that copies it.
 *
 * @param id tells the boxes of one page apart
 * @param title what the text is: "Request"
 */
export function codeBlock(id: string, title: string, content: string | MessageTemplate): Html {
  const text =
    typeof content === 'string'
      ? content
      : content.parts.map((part) => (typeof part === 'string' ? part : html`<var>${part.placeholder}</var>`));
  return html`<div class="title"><h3 id="${id}-title">${title}</h3>
<button type="button" data-copy="${id}" aria-describedby="${id}-title" hidden>Copy</button></div>
<pre id="${id}">${text}</pre>
`;
}

/** Makes the copy buttons work; without it they stay hidden. */
export const COPY_SCRIPT = inlineText(String.raw`
(() => {
  'use strict';
  const SHOWN_MS = 2000;

  // Browsers offer the clipboard only to https and to this machine's own pages; the selection works everywhere.
  const copySelected = (source) => {
    const range = document.createRange();
    range.selectNodeContents(source);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    const copied = document.execCommand('copy');
    if (copied) selection.removeAllRanges();
    return copied;
  };

  const copy = async (source) => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      return true;
    } catch {
      return copySelected(source);
    }
  };

  for (const button of document.querySelectorAll('button[data-copy]')) {
    button.hidden = false;
    button.setAttribute('aria-live', 'polite');
    button.addEventListener('click', async () => {
      const copied = await copy(document.getElementById(button.dataset.copy));
      button.textContent = copied ? 'Copied' : 'Selected: press Ctrl+C';
      setTimeout(() => { button.textContent = 'Copy'; }, SHOWN_MS);
    });
  }
})();
`);

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
