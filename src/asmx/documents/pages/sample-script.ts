import { inlineText } from './html';

/**
 * Colours the XML of a page, and shows the samples of one binding at a time: the chosen one, or the one that the
 * address names. Without it all of them are shown, in one colour.
 */
export const SAMPLE_SCRIPT = inlineText(String.raw`
(() => {
  'use strict';
  // A longer text would take the browser long, and nobody reads it for its colours.
  const MOST_COLOURED = 200_000;

  const coloured = (text, name) => {
    const part = document.createElement('span');
    part.className = name;
    part.textContent = text;
    return part;
  };

  // Every second piece is a tag, and in a tag every second one a value.
  const colourText = (node) => {
    const pieces = node.data.split(/(<[^<>]*>)/).flatMap((piece, index) =>
      index % 2 === 0
        ? [piece]
        : piece.split(/("[^"]*")/).map((inner, place) => coloured(inner, place % 2 === 0 ? 'tag' : 'value')),
    );
    node.replaceWith(...pieces);
  };

  globalThis.colourXml = (box) => {
    if (box.textContent.length > MOST_COLOURED || !/<[?\w]/.test(box.textContent)) return;
    for (const node of [...box.childNodes]) if (node.nodeType === Node.TEXT_NODE) colourText(node);
  };
  const samples = document.querySelectorAll('#samples > section');
  for (const box of document.querySelectorAll('#samples pre:not([id$="-curl"])')) globalThis.colourXml(box);

  const choice = document.getElementById('binding-choice');
  const showChosen = () => {
    const { value } = choice.querySelector(':checked');
    for (const sample of samples) sample.hidden = sample.id !== value;
  };
  const chooseNamed = () => {
    const named = [...choice.querySelectorAll('input')].find(({ value }) => '#' + value === location.hash);
    if (named) named.checked = true;
    showChosen();
  };
  choice.hidden = false;
  choice.addEventListener('change', showChosen);
  addEventListener('hashchange', chooseNamed);
  chooseNamed();
})();
`);
