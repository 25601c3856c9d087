/** What everything of a stage is named by. It is fixed, so that functions can be told of things that do not depend on them. */
export const prefixOf = (stage: string) => `holdfast-${stage}`;
