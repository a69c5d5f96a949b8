/** Inputs for the items of a list of int64 ids, for which Swagger UI has none. */

import type { UiPlugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

export const integerInputs: UiPlugin = ({ React, getComponent }) => ({
  components: {
    JsonSchema_integer_int64: (props: object) => React.createElement(getComponent('JsonSchema_string'), props),
  },
})
