import { markup, type Markup } from './markup';
import { MessageTemplate } from './message-template';

/**
 * A text in a box of its own, with a button that copies it.
 *
 * @param id tells the boxes of one page apart
 * @param title what the text is: "Request"
 */
export function codeBlock(id: string, title: string, content: string | MessageTemplate): Markup {
  const text =
    typeof content === 'string'
      ? content
      : content.parts.map((part) =>
          typeof part === 'string' ? part : markup`<var>${part.placeholder}</var>`,
        );
  return markup`<div class="title"><h3 id="${id}-title">${title}</h3>
<button type="button" data-copy="${id}" aria-describedby="${id}-title" hidden>Copy</button></div>
<pre id="${id}">${text}</pre>
`;
}
