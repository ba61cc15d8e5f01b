/** Milliseconds since 1970 UTC. */
export type Clock = () => number;

/** From 0 up to, not including, 1. */
export type Random = () => number;
