/** Turkish texts by their English ones. */
export const TURKISH = {
  'This document is in English.': 'Bu belge İngilizcedir.',
};
