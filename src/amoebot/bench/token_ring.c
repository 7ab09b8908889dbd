/* The bare token ring in C: the same run as that of token_ring.py. */
#include <stdint.h>

static const uint64_t golden = 0x9E3779B97F4A7C15u;

static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

void token_ring(uint8_t *tokens, int32_t *order, int64_t agents, int64_t rounds, uint64_t purpose) {
    for (int64_t now = 0; now < rounds; now++) {
        uint64_t stream = mix(mix(purpose * golden) + (uint64_t)now * golden);
        for (int64_t agent = 0; agent < agents; agent++) order[agent] = (int32_t)agent;
        for (int64_t place = 0; place < agents; place++) {
            uint64_t drawn = mix(stream + (uint64_t)(place + 1) * golden);
            double unit = (double)(int64_t)(drawn >> 11) * 0x1p-53;
            int64_t other = place + (int64_t)(unit * (double)(agents - place));
            int32_t agent = order[other];
            order[other] = order[place];
            order[place] = agent;
            int64_t pred = agent > 0 ? agent - 1 : agents - 1;
            if (tokens[agent] > 0 && tokens[pred] < 2) {
                tokens[agent]--;
                tokens[pred]++;
            }
        }
    }
}
