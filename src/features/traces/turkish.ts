/** Turkish texts by their English ones. Names in braces stand for values. */
export const TURKISH = {
  Traces: 'İzler',
};
