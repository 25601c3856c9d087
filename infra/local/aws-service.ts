/** What an operation is given: the request's JSON. */
export type Input = Record<string, string | undefined>;
/** An operation of a service's API. */
export type Operation = (input: Input) => object | Promise<object>;

/** An error of a service's API, under the name that its SDK shows. */
export class ServiceError extends Error {
  override readonly name: string;
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}
