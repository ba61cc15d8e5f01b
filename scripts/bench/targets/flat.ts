/** As a driver gives them: what JavaScript joins, as names here were, it leaves in pieces that cost each reader. */
export const flat = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
