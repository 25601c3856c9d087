declare module 'asl-validator' {
  /** Checks a state machine's definition against the language. */
  export default function validate(
    definition: object,
    options?: { checkArn?: boolean; checkPaths?: boolean },
  ): {
    isValid: boolean;
    errorsText(separator: string): string;
  };
}
