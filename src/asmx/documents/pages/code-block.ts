import { inlineText, html, type Html } from './html';
import { MessageTemplate } from './message-template';

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
