export { default } from "../office.ts"
