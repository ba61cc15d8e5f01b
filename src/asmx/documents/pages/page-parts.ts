import { html, type Content, type Html, inlineText } from './html';

/**
 * A text in a box of its own that scrolls, with a button that copies it.
 *
 * @param id tells the boxes of one page apart
 * @param title what the text is: "Request"
 * @param beside stands between title and button
 */
export function codeBlock(id: string, title: string, content: Content, beside: Content = ''): Html {
  return html`<div class="title"><h3 id="${id}-title">${title}</h3>${beside}
<button type="button" data-copy="${id}" aria-describedby="${id}-title" hidden>Copy</button></div>
<pre id="${id}" tabindex="0" role="group" aria-labelledby="${id}-title">${content}</pre>
`;
}

/** A name, with places where a narrow screen may break it: between the words that it is made of. */
export function breakable(name: string): Html {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[_./])(?=[^_./])/);
  return html`${words.map((word, index) => (index === 0 ? word : html`<wbr>${word}`))}`;
}

/** One choice of several, side by side. */
export interface Choice {
  readonly value: string;
  readonly text: string;
}

/** Choices of which one is chosen, the first to begin with; scripts show it and act upon it. */
export function choices(id: string, label: string, name: string, offered: readonly Choice[]): Html {
  const inputs = offered.map(
    ({ value, text }, index) =>
      html`<label><input type="radio" name="${name}" value="${value}"${index === 0 ? html` checked` : ''}><span>${text}</span></label>\n`,
  );
  return html`<div id="${id}" class="choices" role="radiogroup" aria-label="${label}" hidden>
${inputs}</div>
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
